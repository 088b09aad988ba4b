/* json-c: reads a value and prints it. */

#include "input.h"
#include "json.h"
#include <stdio.h>

int main(void)
{
	size_t size;
	char *text = input(&size);
	struct json_tokener *tokener = json_tokener_new_ex(8);
	struct json_object *value = json_tokener_parse_ex(tokener, text, size);
	enum json_tokener_error error = json_tokener_get_error(tokener);
	if (error != json_tokener_success) {
		printf("%s\n", json_tokener_error_desc(error));
	} else {
		puts(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
		json_object_put(value);
	}
	json_tokener_free(tokener);
	free(text);
	return error != json_tokener_success;
}
