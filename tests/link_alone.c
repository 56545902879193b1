/*
 * Linked with all of one stage, with core and base, and nothing else: a stage that calls a sibling
 * fails to link. That is the whole test.
 */
int main(void)
{
	return 0;
}
