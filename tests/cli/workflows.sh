#!/bin/sh
# The steps of the example workflows do what they promise, with the variables that the services set.
# not sanitized: check is
. "$(dirname "$0")/lib"
python3 -c 'import yaml' 2>/dev/null || {
	echo 'there is no yaml module for python3: the examples were not tried'
	exit 77
}
command -v cc >/dev/null && command -v make >/dev/null || exit 77

# A repository whose program became dearer after its baseline.
mkdir -p repository/src bin
cd repository || exit 1
cat >src/program.c <<'END'
#include <stdlib.h>

static void *kept[1000];

__attribute__((noinline)) void work(int n)
{
	for (int i = 0; i < n; i++)
		kept[i] = malloc(PIECE);
	for (int i = 0; i < n; i++)
		free(kept[i]);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[argc - 1]); i++)
		work(10 + i * 7 % 600);
}
END
printf 'program: src/program.c\n\tcc $(CFLAGS) -DPIECE=$(PIECE) -o $@ src/program.c\n' >makefile
PIECE=100 make -s CFLAGS='-O2 -g'
"$fathom" baseline update perf -q -m mem -f work --runs 2 -- ./program 300 || fail 'no baseline was made'
rm program

# What is not of fathom is a stand-in that notes how it was called.
ln -s "$fathom" ../bin/fathom
for tool in gh curl; do
	printf '#!/bin/sh\necho "$0 $*" >>"%s/called"\n' "$scratch" >../bin/$tool
	chmod +x ../bin/$tool
done
cat >../steps.py <<'END'
"""Runs the steps of a workflow as its service does: steps.py github|gitlab FILE."""
import os, subprocess, sys, yaml
service, path = sys.argv[1:]
document = yaml.safe_load(open(path))
if service == "github":
    os.environ.update(GITHUB_WORKSPACE=os.getcwd(), GITHUB_STEP_SUMMARY=os.getcwd() + "/summary", GITHUB_REPOSITORY="a/b", GITHUB_REF_NAME="7/merge",
                      GITHUB_ACTIONS="true", CI="true")
    status = 0
    for step in document["jobs"]["fathom"]["steps"]:
        # A step runs after a failure only if it says so.
        if "run" in step and (not status or "failure()" in step.get("if", "")):
            status = subprocess.run(["bash", "-e", "-c", step["run"]]).returncode or status
    kept = next(step["with"]["path"].split() for step in document["jobs"]["fathom"]["steps"] if "upload" in step.get("uses", ""))
else:
    os.environ.update(CI_JOB_URL="https://lab/a/b/-/jobs/7", CI_API_V4_URL="https://lab/api/v4", CI_PROJECT_ID="5", CI_MERGE_REQUEST_IID="9", CI="true",
                      FATHOM_TOKEN="t")
    job = document["performance"]
    status = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", "\n".join(job["script"])]).returncode
    kept = job["artifacts"]["paths"] + [job["artifacts"]["reports"]["junit"]]
import glob
assert all(glob.glob(pattern) for pattern in kept), f"an artifact is missing of {kept}"
sys.exit(status)
END
steps() {
	rm -f program new.fathom comment.md* performance.* summary ../called
	PIECE=$3 PATH=$scratch/bin:$PATH timeout 100 python3 ../steps.py "$1" "$top/doc/ci/$2" >../output 2>../errors
}

steps github github.yml 100 || fail 'the workflow fails without a change'
! grep -q '^::' ../output || fail 'it annotates though nothing changed'
steps github github.yml 300
[ $? -eq 1 ] || fail 'the workflow does not fail'
cd ..
says '::error file=src/program.c,line='
says 'title=work.mem::work.mem: WORSE'
cd repository || exit 1
grep -qF '| **worse** | <code>work.mem</code><br>src/program.c' summary || fail 'the summary lacks its table'
grep -qF 'src="comment.md.1.svg"' comment.md && [ -s comment.md.1.svg ] || fail 'the comment lacks its picture'
grep -qF 'pr comment 7 --repo a/b' ../called || fail 'there is no comment'

steps gitlab gitlab.yml 100 || fail 'the pipeline fails without a change'
steps gitlab gitlab.yml 300
[ $? -eq 1 ] || fail 'the pipeline does not fail'
grep -qF 'src="https://lab/a/b/-/jobs/7/artifacts/raw/comment.md.1.svg"' comment.md || fail 'the picture is not linked'
grep -qF 'https://lab/api/v4/projects/5/merge_requests/9/notes' ../called || fail 'there is no comment'
python3 - <<'END' || fail 'the XML is not as promised'
import xml.etree.ElementTree as tree
suite = tree.parse("performance.xml").getroot()
case = suite.find("testcase")
assert suite.get("failures") == "1" and case.get("file") == "src/program.c" and int(case.get("line")) > 1
END
