/* Scrolling lists and texts; views know their rows. */
#include "scroll.h"

static size_t less(size_t number, size_t by)
{
	return number > by ? number - by : 0;
}

/* A page less one row, for orientation. */
static size_t scroll_step(const struct scroll *scroll)
{
	return scroll->page > 2 ? scroll->page - 1 : 1;
}

/* Move @at within 0..@last. */
static bool move(const struct scroll *scroll, enum action action, size_t last, size_t *at)
{
	if (action == ACT_UP)
		*at = less(*at, 1);
	else if (action == ACT_DOWN)
		*at += 1;
	else if (action == ACT_PAGE_UP)
		*at = less(*at, scroll_step(scroll));
	else if (action == ACT_PAGE_DOWN)
		*at += scroll_step(scroll);
	else if (action == ACT_FIRST)
		*at = 0;
	else if (action == ACT_LAST)
		*at = last;
	else
		return false;
	*at = *at < last ? *at : last;
	return true;
}

bool scroll_list(struct scroll *scroll, enum action action, size_t n)
{
	return move(scroll, action, less(n, 1), &scroll->selected);
}

bool scroll_text(struct scroll *scroll, enum action action, size_t n)
{
	return move(scroll, action, less(n, scroll->page), &scroll->first);
}

void scroll_fit_list(struct scroll *scroll, size_t n, size_t page)
{
	scroll->page = page;
	if (scroll->selected >= n)
		scroll->selected = less(n, 1);
	if (scroll->selected < scroll->first)
		scroll->first = scroll->selected;
	if (page > 0 && scroll->selected >= scroll->first + page)
		scroll->first = scroll->selected - page + 1;
	if (scroll->first > less(n, page))
		scroll->first = less(n, page);
}

void scroll_fit_text(struct scroll *scroll, size_t n, size_t page)
{
	scroll->page = page;
	if (scroll->first > less(n, page))
		scroll->first = less(n, page);
}
