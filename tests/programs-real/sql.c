/* sqlite: runs statements on a database in memory that has one table, and prints what they give. */

#include "input.h"
#include <sqlite3.h>
#include <stdio.h>

static int row(void *data, int count, char **values, char **names)
{
	for (int i = 0; i < count; i++)
		printf("%s=%s\n", names[i], values[i] ? values[i] : "NULL");
	return 0;
}

int main(void)
{
	size_t size;
	char *text = input(&size), *message = 0, *statements = malloc(size + 1);
	sqlite3 *database;
	for (size_t i = 0; i < size; i++)
		statements[i] = text[i];
	statements[size] = 0;
	if (sqlite3_open(":memory:", &database) != SQLITE_OK)
		return 2;
	sqlite3_exec(database, "create table t(a, b); insert into t values (1, 'x');", 0, 0, 0);
	int result = sqlite3_exec(database, statements, row, 0, &message);
	if (message)
		puts(message);
	sqlite3_free(message);
	sqlite3_close(database);
	free(statements);
	free(text);
	return result != SQLITE_OK;
}
