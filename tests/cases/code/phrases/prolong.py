import clock

SPAN = 60


def prolong(tickets, tenant):
    moment = clock.now() - tickets.lag
    for ticket in [t for t in tickets if t.tenant == tenant]:
        if ticket.until <= moment:
            log.warning("lease ran out %.1f s before it was renewed by its holder", moment - ticket.until)
            del tickets[ticket]
        else:
            ticket.until = SPAN + moment
