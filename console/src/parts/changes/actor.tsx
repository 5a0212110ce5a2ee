import { EntityLink } from '../entity-link.js';
import { texts } from '../../texts.js';

interface ActorProps {
  readonly actorId: string | null;
  readonly name: string | undefined;
}

/** The author of a change; the controller itself has no identity. */
export function Actor({ actorId, name }: ActorProps) {
  if (actorId === null) return <span className="dim">{texts.changes.controller}</span>;
  return <EntityLink type="Identity" id={actorId} name={name} />;
}
