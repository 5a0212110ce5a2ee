/** Words about the times in which something counts. */
export const times = {
  title: 'Times',
  /** By the values of the schema. */
  days: {
    MONDAY: 'Mon',
    TUESDAY: 'Tue',
    WEDNESDAY: 'Wed',
    THURSDAY: 'Thu',
    FRIDAY: 'Fri',
    SATURDAY: 'Sat',
    SUNDAY: 'Sun',
  },
  everyDay: 'every day',
  dayRange: (first: string, last: string) => `${first} to ${last}`,
  hours: (days: string, from: string, to: string) => `${days} ${from}–${to}`,
  overnight: 'of the next day',
  clocks: (zone: string) => `by the clocks of ${zone}`,
  from: (at: string) => `from ${at}`,
  until: (at: string) => `until ${at}`,
  always: 'It is always in force.',
  inForce: (times: string) => `It is in force ${times}.`,
  unfinished: 'A window has no days, no begin or no end yet.',
  alwaysCounts: 'It counts at all times.',
  counts: (times: string) => `It counts ${times}. Outside of this time it is disabled.`,
  ends: 'It ends',
  begins: 'It begins',
} as const;
