import type { Logger } from 'pino';
import type { Config } from '../configuration.js';
import {
  allToStdout,
  readEventSettings,
  type EventSinkSettings,
} from '../../network/events/index.js';

/** Reads the sinks of events, if the environment names any. */
export function configuredEventSinks(
  { events }: Config,
  log: Logger,
): readonly EventSinkSettings[] | undefined {
  if (events === undefined) return undefined;
  if (events === 'stdout') return allToStdout;
  const { file } = events;
  return readEventSettings(file, (type) => {
    log.warn({ file, type }, 'a subscription to events is ignored: its type is unknown');
  });
}
