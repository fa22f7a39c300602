"""One function in a dozen languages: the joining of spans in which a road is closed."""

PYTHON = """\
def merge_closures(closures, tolerance=0):
    merged, broken = [], 0
    for begin, finish in sorted(closures):
        if finish < begin:
            begin, finish, broken = finish, begin, broken + 1
        if merged and begin - merged[-1][1] <= tolerance:
            previous = merged.pop()
            merged.append((previous[0], max(previous[1], finish)))
        elif finish - begin > tolerance:
            merged.append((begin, finish))
    total = sum(finish - begin for begin, finish in merged)
    longest = max(merged, key=lambda span: span[1] - span[0], default=None)
    if broken > 17:
        raise ValueError(f"more turned spans than a survey has: {broken}")
    return merged, total * 0.0367, longest
"""
JAVASCRIPT = """\
function mergeClosures(closures, tolerance) {
  const merged = [];
  let broken = 0;
  for (let [begin, finish] of closures.slice().sort((a, b) => a[0] - b[0])) {
    if (finish < begin) {
      [begin, finish, broken] = [finish, begin, broken + 1];
    }
    if (merged.length && begin - merged[merged.length - 1][1] <= tolerance) {
      const previous = merged.pop();
      merged.push([previous[0], Math.max(previous[1], finish)]);
    } else if (finish - begin > tolerance) {
      merged.push([begin, finish]);
    }
  }
  const total = merged.reduce((sum, span) => sum + span[1] - span[0], 0);
  const longest = merged.reduce((best, span) => (best && best[1] - best[0] >= span[1] - span[0] ? best : span), null);
  if (broken > 17) {
    throw new RangeError("more turned spans than a survey has: " + broken);
  }
  return { merged, total: total * 0.0367, longest };
}
"""
JAVA = """\
class Closures {
  static List<long[]> mergeClosures(List<long[]> closures, long tolerance) {
    Deque<long[]> merged = new ArrayDeque<>();
    int broken = 0;
    closures.sort(Comparator.comparingLong(span -> span[0]));
    for (long[] span : closures) {
      long begin = span[0], finish = span[1];
      if (finish < begin) {
        long held = begin;
        begin = finish;
        finish = held;
        broken++;
      }
      if (!merged.isEmpty() && begin - merged.peekLast()[1] <= tolerance) {
        long[] previous = merged.pollLast();
        merged.addLast(new long[] {previous[0], Math.max(previous[1], finish)});
      } else if (finish - begin > tolerance) {
        merged.addLast(new long[] {begin, finish});
      }
    }
    if (broken > 17) {
      throw new IllegalStateException("more turned spans than a survey has: " + broken);
    }
    long total = merged.stream().mapToLong(each -> each[1] - each[0]).sum();
    System.out.printf("%d closures, %.4f hours%n", merged.size(), total * 0.0367);
    return new ArrayList<>(merged);
  }
}
"""
C = """\
size_t merge_closures(struct span *closures, size_t count, long tolerance, double *total)
{
    size_t merged = 0, broken = 0;
    qsort(closures, count, sizeof *closures, compare_spans);
    for (size_t at = 0; at < count; at++) {
        long begin = closures[at].begin, finish = closures[at].finish;
        if (finish < begin) {
            long held = begin;
            begin = finish;
            finish = held;
            broken++;
        }
        if (merged && begin - closures[merged - 1].finish <= tolerance) {
            if (finish > closures[merged - 1].finish)
                closures[merged - 1].finish = finish;
        } else if (finish - begin > tolerance) {
            closures[merged].begin = begin;
            closures[merged++].finish = finish;
        }
    }
    if (broken > 17)
        fprintf(stderr, "more turned spans than a survey has: %zu\\n", broken);
    *total = 0;
    for (size_t at = 0; at < merged; at++)
        *total += (closures[at].finish - closures[at].begin) * 0.0367;
    return merged;
}
"""
GO = """\
func mergeClosures(closures []span, tolerance int64) ([]span, float64, error) {
	merged, broken := closures[:0:0], 0
	sort.Slice(closures, func(a, b int) bool { return closures[a].begin < closures[b].begin })
	for _, each := range closures {
		begin, finish := each.begin, each.finish
		if finish < begin {
			begin, finish, broken = finish, begin, broken+1
		}
		if last := len(merged) - 1; last >= 0 && begin-merged[last].finish <= tolerance {
			if previous := &merged[last]; finish > previous.finish {
				previous.finish = finish
			}
		} else if finish-begin > tolerance {
			merged = append(merged, span{begin, finish})
		}
	}
	if broken > 17 {
		return nil, 0, fmt.Errorf("more turned spans than a survey has: %d", broken)
	}
	total := 0.0
	for _, each := range merged {
		total += float64(each.finish-each.begin) * 0.0367
	}
	return merged, total, nil
}
"""
RUBY = """\
def merge_closures(closures, tolerance = 0)
  merged = []
  broken = 0
  closures.sort.each do |begin_at, finish|
    if finish < begin_at
      begin_at, finish = finish, begin_at
      broken += 1
    end
    if !merged.empty? && begin_at - merged.last[1] <= tolerance
      previous = merged.pop
      merged.push([previous[0], [previous[1], finish].max])
    elsif finish - begin_at > tolerance
      merged.push([begin_at, finish])
    end
  end
  raise ArgumentError, "more turned spans than a survey has: #{broken}" if broken > 17
  total = merged.sum { |span| span[1] - span[0] }
  longest = merged.max_by { |span| span[1] - span[0] }
  [merged, total * 0.0367, longest]
end
"""
PHP = """\
function merge_closures(array $closures, int $tolerance = 0): array
{
    $merged = [];
    $broken = 0;
    usort($closures, fn ($a, $b) => $a[0] <=> $b[0]);
    foreach ($closures as [$begin, $finish]) {
        if ($finish < $begin) {
            [$begin, $finish] = [$finish, $begin];
            $broken++;
        }
        if ($merged && $begin - end($merged)[1] <= $tolerance) {
            $previous = array_pop($merged);
            $merged[] = [$previous[0], max($previous[1], $finish)];
        } elseif ($finish - $begin > $tolerance) {
            $merged[] = [$begin, $finish];
        }
    }
    if ($broken > 17) {
        throw new RangeException("more turned spans than a survey has: " . $broken);
    }
    $total = array_sum(array_map(fn ($span) => $span[1] - $span[0], $merged));
    return [$merged, $total * 0.0367];
}
"""
RUST = """\
fn merge_closures(mut closures: Vec<(i64, i64)>, tolerance: i64) -> Result<(Vec<(i64, i64)>, f64), String> {
    let mut merged: Vec<(i64, i64)> = Vec::new();
    let mut broken = 0;
    closures.sort_unstable();
    for (mut begin, mut finish) in closures {
        if finish < begin {
            std::mem::swap(&mut begin, &mut finish);
            broken += 1;
        }
        match merged.last_mut() {
            Some(previous) if begin - previous.1 <= tolerance => previous.1 = previous.1.max(finish),
            _ if finish - begin > tolerance => merged.push((begin, finish)),
            _ => {}
        }
    }
    if broken > 17 {
        return Err(format!("more turned spans than a survey has: {}", broken));
    }
    let total: i64 = merged.iter().map(|span| span.1 - span.0).sum();
    Ok((merged, total as f64 * 0.0367))
}
"""
CSHARP = """\
static List<(long, long)> MergeClosures(List<(long, long)> closures, long tolerance, out double total)
{
    var merged = new List<(long, long)>();
    var broken = 0;
    closures.Sort((a, b) => a.Item1.CompareTo(b.Item1));
    foreach (var span in closures)
    {
        var (begin, finish) = span;
        if (finish < begin)
        {
            (begin, finish) = (finish, begin);
            broken++;
        }
        if (merged.Count > 0 && begin - merged[^1].Item2 <= tolerance)
        {
            var previous = merged[^1];
            merged[^1] = (previous.Item1, Math.Max(previous.Item2, finish));
        }
        else if (finish - begin > tolerance)
        {
            merged.Add((begin, finish));
        }
    }
    if (broken > 17)
        throw new InvalidOperationException("more turned spans than a survey has: " + broken);
    total = merged.Sum(each => each.Item2 - each.Item1) * 0.0367;
    return merged;
}
"""
PERL = """\
sub merge_closures {
    my ($closures, $tolerance) = @_;
    my @merged;
    my $broken = 0;
    for my $span (sort { $a->[0] <=> $b->[0] } @$closures) {
        my ($begin, $finish) = @$span;
        if ($finish < $begin) {
            ($begin, $finish) = ($finish, $begin);
            $broken++;
        }
        if (@merged && $begin - $merged[-1][1] <= $tolerance) {
            my $previous = pop @merged;
            push @merged, [$previous->[0], $previous->[1] > $finish ? $previous->[1] : $finish];
        } elsif ($finish - $begin > $tolerance) {
            push @merged, [$begin, $finish];
        }
    }
    die "more turned spans than a survey has: $broken" if $broken > 17;
    my $total = 0;
    $total += $_->[1] - $_->[0] for @merged;
    return (\\@merged, $total * 0.0367);
}
"""
SHELL = """\
merge_closures() {
  local tolerance=$1 file=$2 broken=0 total=0 last_begin= last_finish=
  while read -r begin finish; do
    if [ "$finish" -lt "$begin" ]; then
      held=$begin; begin=$finish; finish=$held
      broken=$((broken + 1))
    fi
    if [ -n "$last_finish" ] && [ $((begin - last_finish)) -le "$tolerance" ]; then
      [ "$finish" -gt "$last_finish" ] && last_finish=$finish
    elif [ $((finish - begin)) -gt "$tolerance" ]; then
      [ -n "$last_finish" ] && printf '%s %s\\n' "$last_begin" "$last_finish"
      total=$((total + finish - begin))
      last_begin=$begin last_finish=$finish
    fi
  done < <(sort -n "$file")
  if [ "$broken" -gt 17 ]; then
    echo "more turned spans than a survey has: $broken" >&2
    return 3
  fi
  echo "scale=4; $total * 0.0367" | bc
}
"""
SWIFT = """\
func mergeClosures(_ closures: [(Int, Int)], tolerance: Int = 0) throws -> ([(Int, Int)], Double) {
    var merged: [(Int, Int)] = []
    var broken = 0
    for span in closures.sorted(by: { $0.0 < $1.0 }) {
        var (begin, finish) = span
        if finish < begin {
            swap(&begin, &finish)
            broken += 1
        }
        if let previous = merged.last, begin - previous.1 <= tolerance {
            merged[merged.count - 1] = (previous.0, max(previous.1, finish))
        } else if finish - begin > tolerance {
            merged.append((begin, finish))
        }
    }
    guard broken <= 17 else {
        throw SurveyError.turned("more turned spans than a survey has: \\(broken)")
    }
    let total = merged.reduce(0) { $0 + $1.1 - $1.0 }
    return (merged, Double(total) * 0.0367)
}
"""
