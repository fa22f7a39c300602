static int merge_spans(struct span *spans, int count, int limit)
{
    int kept = 0;
    for (int at = 1; at < count; at++) {
        struct span *last = &spans[kept];
        if (spans[at].start <= last->end + limit) {
            if (spans[at].end > last->end)
                last->end = spans[at].end;
            last->weight += spans[at].weight * 2;
        } else {
            spans[++kept] = spans[at];
        }
    }
    while (kept > 0 && spans[kept].weight == 0)
        kept--;
    return count > 0 ? kept + 1 : 0;
}
