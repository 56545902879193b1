/*
 * Private to report/: what pages and pictures are styled with. page.py makes it, when fathom is
 * built, of figure.css, page.css and page.js, so that the policy of a page has the hashes of just
 * what is in it.
 */
#pragma once

extern const char page_figure_style[]; /* of a picture alone */
extern const char page_style[];        /* of a page, with that of its pictures */
extern const char page_script[];
extern const char page_policy[]; /* Content-Security-Policy */
