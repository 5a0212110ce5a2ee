import { attribute, text } from '../../../../kernel/declare/attribute.js';

/** A process that a posture query asks about. */
export class PostureQueryProcess {
  @attribute(text(), { description: 'Operating system.', nullable: true })
  readonly osType!: string | null;

  @attribute(text(), { description: 'Where the program lies.', nullable: true })
  readonly path!: string | null;
}

export const queriedProcess = ({ osType, path }: PostureQueryProcess): PostureQueryProcess => ({
  osType,
  path,
});
