/* Keys and the mouse, independent of the terminal. */
#pragma once

/* Keys beyond characters (code points). */
enum explorer_key {
	KEY_FIRST = 0x110000,
	EXPLORER_UP = KEY_FIRST,
	EXPLORER_DOWN,
	EXPLORER_LEFT,
	EXPLORER_RIGHT,
	EXPLORER_PAGE_UP,
	EXPLORER_PAGE_DOWN,
	EXPLORER_HOME,
	EXPLORER_END,
	EXPLORER_ENTER,
	EXPLORER_ESCAPE,
	EXPLORER_BACKSPACE,
	EXPLORER_TAB,
	EXPLORER_BACK_TAB,
	EXPLORER_RESIZE, /* the next explorer_draw() has another screen */
	EXPLORER_KEY_COUNT,
};

enum explorer_mouse { MOUSE_CLICK, MOUSE_DOUBLE_CLICK, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };
