import type { Traces } from './traces.js';

/**
 * Sends traces to where the standard variables of OpenTelemetry say, which its libraries read
 * themselves. They are loaded here, so that a controller without traces does without them.
 */
export async function openTraces(onFault: (message: string) => void): Promise<Traces> {
  const { OtlpTraces } = await import('./otlp-traces.js');
  return new OtlpTraces(onFault);
}
