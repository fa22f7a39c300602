"""Makes pull requests with known truth from real code, and scores detectors of copied code on them."""
import argparse, sys, time
from pathlib import Path
from mutations import MUTATIONS
from projects import CASTS
import rounds
p=argparse.ArgumentParser()
p.add_argument("--work",type=Path); p.add_argument("--each",type=int,default=6); p.add_argument("--languages",default=",".join(CASTS)); p.add_argument("--mutations",default=",".join(MUTATIONS))
a=p.parse_args()
for l in a.languages.split(","):
    for m in a.mutations.split(","):
        t=time.time(); r=rounds.make(l,m,a.each,a.work); print(r.folder,len(r.plants),len(r.innocent),round(time.time()-t,1),file=sys.stderr)
