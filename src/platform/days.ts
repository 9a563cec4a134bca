const dayMs = 86_400_000;

/** Days are YYYY-MM-DD and begin at midnight UTC. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

export const daysAfter = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * dayMs));
