import { InProcess, type InProcessOptions } from './in-process.js';

export interface TwoInProcess {
  readonly controller: InProcess;
  readonly other: InProcess;
  stop(): Promise<void>;
}

/** Two controllers with one database; neither is told of what the other one does. */
export async function startTwo(
  options: InProcessOptions,
  ofOther: InProcessOptions = options,
): Promise<TwoInProcess> {
  const controller = await InProcess.start(undefined, options);
  const other = await InProcess.start(controller, ofOther);
  const stop = async (): Promise<void> => {
    await other.stop();
    await controller.stop();
  };
  return { controller, other, stop };
}
