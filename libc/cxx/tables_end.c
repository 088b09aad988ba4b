/* Linked behind everything else: the zero that ends the tables of an unwinder, which a compiler's own end
   files bring along and musl's do not. Without it a search for a function without a table runs past them. */

__attribute__((section(".eh_frame"), used)) static const int end_of_tables = 0;
