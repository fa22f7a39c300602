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
