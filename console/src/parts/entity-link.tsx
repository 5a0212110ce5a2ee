import { Link } from '@tanstack/react-router';
import { kindOfType } from '../description/fields.js';
import { useMay } from '../graph/caller-context.js';

interface EntityLinkProps {
  /** The name of its type in the graph. */
  readonly type: string;
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** The name of an entity; it leads to the page of the entity for those who may see it. */
export function EntityLink({ type, id, name }: EntityLinkProps) {
  const may = useMay();
  const kind = kindOfType(type);
  const text = name ?? id;
  if (!kind || !may('Query', kind.one)) return <span title={text}>{text}</span>;
  return (
    <Link to="/entities/$list/$id" params={{ list: kind.list, id }} title={text}>
      {text}
    </Link>
  );
}
