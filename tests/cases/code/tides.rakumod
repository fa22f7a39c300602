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
