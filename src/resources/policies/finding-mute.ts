import { attribute, reference, text, time } from '../../kernel/declare/attribute.js';
import { invalidField } from '../../base/errors.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';
import { Entity } from '../entity.js';

const MAX_REASON_LENGTH = 1_000;

function validate({ ctx, values }: Write<'FindingMute'>): void {
  const reason = present(values, 'reason').reason.trim();
  if (reason === '') throw invalidField('reason', 'reason is required', values.reason);
  values.reason = reason;
  const end = values.mutedUntil;
  if (end && end <= ctx.now()) {
    throw invalidField('until', 'must be in the future', end);
  }
}

/** Runs after references are resolved, because this one comes from the session. */
function setAuthor({ ctx, values }: Write<'FindingMute'>): void {
  values.mutedById = ctx.caller?.identityId ?? null;
}

@resource({
  description:
    'A decision to accept a finding. The finding is left out of lists and counts until the mute ends. The mute stays when its finding disappears, and has effect again when the finding returns.',
  plural: 'FindingMutes',
  path: 'finding-mutes',
  permission: 'admin',
  verbs: [],
  unique: [['findingId']],
  isRecord: true,
  hooks: { validate, before: setAuthor },
})
export class FindingMute extends Entity {
  @attribute(text({ min: 1 }), {
    description: 'Id of the finding.',
    write: 'create',
    required: true,
    filter: true,
  })
  findingId!: string;

  @attribute(text({ min: 1, max: MAX_REASON_LENGTH }), {
    description: 'Reason to accept the finding.',
    required: true,
    filter: true,
  })
  reason!: string;

  @attribute(time(), {
    description: 'When the mute ends; null: it lasts until the finding is unmuted.',
    inputName: 'until',
    nullable: true,
    filter: true,
  })
  mutedUntil!: Date | null;

  @attribute(reference('Identity', { onDelete: 'keep' }), {
    description: 'Id of the identity that muted the finding, or last set the reason and the end.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  mutedById!: string | null;
}
