/* libyaml: reads a document and prints its events. */

#include "input.h"
#include <stdio.h>
#include <yaml.h>

int main(void)
{
	size_t size;
	char *text = input(&size);
	yaml_parser_t parser;
	yaml_event_t event;
	int more = 1, good = yaml_parser_initialize(&parser);
	if (!good)
		return 2;
	yaml_parser_set_input_string(&parser, (unsigned char *)text, size);
	while (more && (good = yaml_parser_parse(&parser, &event))) {
		printf("%d\n", event.type);
		if (event.type == YAML_SCALAR_EVENT)
			printf("  %.*s\n", (int)event.data.scalar.length, event.data.scalar.value);
		more = event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	if (!good)
		printf("%s\n", parser.problem ? parser.problem : "no problem");
	yaml_parser_delete(&parser);
	free(text);
	return !good;
}
