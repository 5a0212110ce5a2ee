import type { Traces } from './traces.js';

/**
 * Sends traces as the standard variables of OpenTelemetry say, which its libraries read. The
 * libraries are loaded here, so that a controller without traces does not load them.
 */
export async function openTraces(onFault: (message: string) => void): Promise<Traces> {
  const { OtlpTraces } = await import('./otlp-traces.js');
  return new OtlpTraces(onFault);
}
