import { texts } from '../../texts.js';
import { EntityLink } from '../entity-link.js';
import { Instant } from '../instant.js';
import { OtherMembers } from '../other-members.js';
import type { Explanation } from './pair.js';

type Assignment = Explanation['assignments'][number];

interface AssignmentsOfRolesProps {
  readonly assignments: readonly Assignment[];
  readonly roles: readonly { readonly role: string }[];
}

/** The role assignments that give the identity attributes of these roles, with their ends. */
export function AssignmentsOfRoles({ assignments, roles }: AssignmentsOfRolesProps) {
  const own = assignments.filter(({ roleAttribute }) =>
    roles.some(({ role }) => role === `#${roleAttribute}`),
  );
  if (own.length === 0) return null;
  return (
    <ul className="plain">
      {own.map((assignment) => (
        <li key={assignment.roleAssignmentId}>
          <OneAssignment assignment={assignment} />
        </li>
      ))}
    </ul>
  );
}

function OneAssignment({ assignment }: { assignment: Assignment }) {
  const { roleAssignmentId, roleAttribute, activeUntil, source, reason } = assignment;
  const { until, withoutEnd, by, askedForBy, approvedBy } = texts.ask.assigned;
  return (
    <>
      <EntityLink type="RoleAssignment" id={roleAssignmentId} name={`#${roleAttribute}`} />{' '}
      {activeUntil === null ? (
        withoutEnd
      ) : (
        <>
          {until} <Instant at={activeUntil} />
        </>
      )}
      {source === BY_HAND ? null : ` ${by} ${source}`}
      <Person role={askedForBy} identity={assignment.requestedBy} />
      <Person role={approvedBy} identity={assignment.approvedBy} />
      {reason === null ? null : `: ${reason}`}
      <OtherMembers values={assignment} shown={SHOWN} />
    </>
  );
}

const BY_HAND = 'hand';

const SHOWN = [
  'roleAssignmentId',
  'roleAttribute',
  'activeUntil',
  'source',
  'reason',
  'requestedBy',
  'approvedBy',
] as const;

function Person({ role, identity }: { role: string; identity: Assignment['requestedBy'] }) {
  if (!identity) return null;
  return (
    <>
      , {role} <EntityLink type="Identity" id={identity.id} name={identity.name} />
    </>
  );
}
