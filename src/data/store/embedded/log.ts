/** The log of the supervisor, such as a pino logger. */
export interface EmbeddedLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
