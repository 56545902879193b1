/* Who got slower where several programs work on a call: the client, the network, or a server. */
#pragma once

#include "diff.h"

/* For each subject of the time of merged calls, when verdicts are decided. */
void diff_payers_find(struct diff *diff);
