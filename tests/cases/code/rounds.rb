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
