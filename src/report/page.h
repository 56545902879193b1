/*
 * Private to report/: styles and script of pages and pictures. page.py makes them at build from
 * figure.css, page.css and page.js, with the hashes of exactly these in the page's policy.
 */
#pragma once

extern const char page_figure_style[]; /* of a picture alone */
extern const char page_style[];        /* of a page with its pictures */
extern const char page_script[];
extern const char page_policy[]; /* Content-Security-Policy */
