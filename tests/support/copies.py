"""Code in some languages, to be copied under odd names; it holds neither comments nor code in strings."""

from __future__ import annotations

C = """\
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
"""
JAVA = """\
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
"""
PERL = """\
sub spread_costs {
    my ($self, $costs, %shares) = @_;
    my @rows;
    while (my ($name, $cost) = each %{ $costs->{all} }) {
        my %row = (%shares, ref $cost eq 'HASH' ? %$cost : (sum => $cost));
        my $sum = ($row{sum} || 0) * ($row{rate} || 1);
        $sum += $self->surcharge($name) if $row{late} && $sum > 17;
        push @rows, [$name, $sum, scalar @rows] unless $row{hidden};
    }
    return map { $_->[0] } sort { $a->[1] <=> $b->[1] } @rows;
}
"""
PHP = """\
<?php
function seat_guests(array $guests, int $size): array
{
    $tables = [];
    $open = [];
    foreach ($guests as $place => $guest) {
        $near = array_filter($open, fn ($other) => $other['group'] === $guest['group']);
        if (count($near) >= $size || count($open) > 3 * $size) {
            $tables[] = array_splice($open, 0, $size);
        }
        $open[] = ['name' => ucfirst($guest['name']), 'group' => $guest['group'] ?? 0, 'place' => $place % $size];
    }
    return array_merge($tables, $open === [] ? [] : [$open]);
}
"""
RAKU = """\
sub tide-table(@heights, Int :$window = 6) is export {
    my @turns;
    my $rising = 0;
    for @heights.kv -> $hour, $height {
        my $mean = [+](@heights[max(0, $hour - $window) .. $hour]) / ($window + 1);
        if $height > $mean != $rising {
            @turns.push({ at => $hour, level => $height, mean => $mean.round(0.1) });
            $rising = !$rising;
        }
        $rising ||= $hour %% $window && $height > 2 * $mean;
    }
    return @turns.sort({ $^a<level> <=> $^b<level> }).map({ $_<at> => $_<level> }).List;
}
"""
RUBY = """\
def plan_rounds(players, courts: 4)
  rounds = Hash.new { |hash, key| hash[key] = { games: [], rest: 0.0 } }
  players.each_with_index do |player, index|
    next if player[:level].nil? || player[:games] >= courts
    rounds[index % courts][:games] << [player[:name], player[:level] * 2]
    rounds[index % courts][:rest] += player[:games].fdiv(courts + 1)
  end
  ranked = rounds.sort_by { |court, one| [-one[:rest], court] }
  ranked.first(courts).map { |court, one| { court: court, games: one[:games].uniq, rest: one[:rest].round(1) } }
end
"""
SHELL = """\
prune_backups() {
  local root=$1 days=${2:-30} folder total=0
  for folder in "$root"/*/; do
    [[ -e $folder/.keep ]] && continue
    local newest=$(ls -t "$folder" | head -n 1)
    if [[ -z $newest || $(stat -c %Y "$folder/$newest") -lt $((now - days * 86400)) ]]; then
      tar -czf "$root/${folder##*/}.tgz" -C "$folder" . && rm -rf -- "${folder:?}"
      total=$((total + 1))
    fi
  done
  printf '%d of %d\\n' "$total" "$(find "$root" -mindepth 1 -maxdepth 1 | wc -l)"
}
"""
