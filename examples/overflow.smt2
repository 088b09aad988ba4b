; A program allocates  size = count * 8 + 16  bytes and checks for overflow with
;   if (size < 16) fail();
; Is there a large count that passes the check and still gets a small block?
(set-option :produce-models true)
(set-logic QF_BV)
(declare-const count (_ BitVec 32))
(define-fun size () (_ BitVec 32) (bvadd (bvmul count #x00000008) #x00000010))
(assert (bvuge size #x00000010)) ; the check passes
(assert (bvugt count #x00001000)) ; the count is large
(assert (bvult size #x00000100)) ; the block is small
(check-sat)
(get-value (count size))
