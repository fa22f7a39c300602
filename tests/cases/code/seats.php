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
