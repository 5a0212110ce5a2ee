/** Words about access rules. */
export const rules = {
  violations: 'Violations',
  violationsHelp:
    'The pairs that violate the rule now: with access that it forbids, or without access that it requires.',
  overrideHelp:
    'As an administrator you may make it against the access rules, with a reason for the change log.',
  reason: 'Reason to violate the access rules',
  override: 'Make it against the access rules',
} as const;
