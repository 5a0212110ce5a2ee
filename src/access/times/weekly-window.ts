import {
  attribute,
  described,
  list,
  oneOf,
  text,
  type ValueOf,
} from '../../kernel/declare/attribute.js';

export const WEEKDAY = oneOf(
  'Weekday',
  {
    MONDAY: 'Monday.',
    TUESDAY: 'Tuesday.',
    WEDNESDAY: 'Wednesday.',
    THURSDAY: 'Thursday.',
    FRIDAY: 'Friday.',
    SATURDAY: 'Saturday.',
    SUNDAY: 'Sunday.',
  },
  'A day of the week.',
);

export type Weekday = ValueOf<typeof WEEKDAY>;

@described('Hours of some days of the week.')
export class WeeklyWindow {
  @attribute(list(WEEKDAY), { description: 'The days on which it begins.', required: true })
  days!: Weekday[];

  @attribute(text(), { description: 'When it begins: `08:00`.', required: true })
  from!: string;

  @attribute(text(), {
    description: 'When it ends: `18:00`. At or before `from`: on the next day.',
    required: true,
  })
  to!: string;
}
