import { attribute, bool, text, timeText } from '../../../kernel/declare/attribute.js';

/** The members of every stored report. Instants are milliseconds since the epoch, of the server. */
export interface ReportStamp {
  /** The check that the client answered; it may be unknown here. */
  readonly postureCheckId: string;
  readonly lastUpdatedAt: number;
}

/** A report as administrators see it. Reports of devices do not age. */
export abstract class PostureReport {
  @attribute(text(), { description: 'The posture check that it answered; empty before.' })
  postureCheckId!: string;

  @attribute(timeText(), { description: 'When it was told last.', nullable: true })
  lastUpdatedAt!: string | null;

  @attribute(bool(), { description: 'Whether it is too old to count.' })
  timedOut!: boolean;
}

/** A stored report: its stamp, and the values that a view of this shape adds. */
export type ReportOf<Shape extends PostureReport> = ReportStamp &
  Readonly<Omit<Shape, keyof PostureReport>>;
