import { attribute, text } from '../../../kernel/declare/attribute.js';
import type { OsType } from '../../operating-system.js';

/** A process that a posture query asks about. */
export class PostureQueryProcess {
  @attribute(text(), { description: 'Operating system.', nullable: true })
  readonly osType!: OsType;

  @attribute(text(), { description: 'Where the program lies.', nullable: true })
  readonly path!: string;
}

export const queriedProcess = ({ osType, path }: PostureQueryProcess): PostureQueryProcess => ({
  osType,
  path,
});
