/* Which view draws. */
#include "views.h"

void view_draw(struct explorer *explorer, struct pane region)
{
	switch (explorer->view) {
	case VIEW_LIST:
		view_list_draw(explorer, region);
		break;
	case VIEW_SCATTER:
	case VIEW_RESIDUALS:
	case VIEW_HISTOGRAM:
		plot_draw(explorer, region);
		break;
	case VIEW_TREE:
		view_tree_draw(explorer, region);
		break;
	case VIEW_FEATURES:
		view_features_draw(explorer, region);
		break;
	case VIEW_SAMPLES:
		view_samples_draw(explorer, region);
		break;
	case VIEW_ANNOTATION:
		view_text_annotation_draw(explorer, region);
		break;
	case VIEW_CALLS:
		view_calls_draw(explorer, region);
		break;
	case VIEW_SOURCE:
		view_source_draw(explorer, region);
		break;
	case VIEW_CALL:
		view_text_call_draw(explorer, region);
		break;
	case VIEW_TIMELINE:
		view_timeline_draw(explorer, region);
		break;
	case VIEW_GAINS:
		view_text_gains_draw(explorer, region);
		break;
	case VIEW_HELP:
		view_text_help_draw(explorer, region);
		break;
	case VIEW_COUNT:
		break;
	}
}
