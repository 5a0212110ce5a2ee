import type { ListArgument } from '../../kernel/declare/resource.js';
import { textsOf } from '../../base/row.js';
import { roleFilterPredicate, type EntityKind } from '../../kernel/policy/index.js';

/** `roleFilter` and `roleSemantic` of lists of entities of a kind with role attributes. */
export const roleFilterArguments = (kind: EntityKind): readonly ListArgument[] => [
  {
    name: 'roleFilter',
    isList: true,
    description: 'Only what these roles (`#attribute`, `@id`) select.',
    predicate: (args, alias) => {
      const semantic = args.roleSemantic;
      return roleFilterPredicate(
        textsOf(args.roleFilter),
        typeof semantic === 'string' ? semantic : undefined,
        { kind, alias },
      );
    },
  },
  {
    name: 'roleSemantic',
    isList: false,
    description:
      'Whether `roleFilter` needs all attributes (`AllOf`, the default) or any (`AnyOf`).',
  },
];
