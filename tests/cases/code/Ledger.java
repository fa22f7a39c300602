class Ledger {
    static long settle(long[] debts, long[] credits, int limit) {
        long open = 0, rate = limit % 7 + 3;
        for (int at = 0; at < debts.length && at < credits.length; at++) {
            long rest = debts[at] - credits[at];
            if (rest > limit) { open += rest * rate; debts[at] = limit; }
            else if (rest < -limit) { open -= (rest + limit) / rate; credits[at] -= rest; }
            else { open = Math.max(open, rest) ^ at; }
        }
        return open >= 0 ? open : -open + debts.length;
    }
}
