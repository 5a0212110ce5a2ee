import {
  attribute,
  attributes,
  described,
  object,
  objects,
  type Attribute,
} from '../../../kernel/declare/attribute.js';
import type { JsonObject } from '../../../base/row.js';
import { objectOf, type Schema } from '../../../kernel/declare/rest-schema.js';
import { RestObject } from '../../../kernel/graph/rest-member.js';
import { reportTypes, sessionViews } from '../../../trust/posture/index.js';
import { SdkInfo } from '../../../resources/identities/identity-shapes.js';

/** The stored data about the devices of an identity, in the view of administrators. */

const sessionAttributes: readonly Attribute[] = sessionViews.flatMap(({ members }) =>
  Object.entries(members).map(([name, { shape, description }]) => ({
    name,
    type: object(() => shape),
    description,
  })),
);

@described('Posture data of an API session.')
@attributes(sessionAttributes)
class ApiSessionPosture {
  @attribute(object(() => SdkInfo), {
    description: 'The software of the client.',
    nullable: true,
    omitEmpty: true,
  })
  readonly sdkInfo!: SdkInfo | null;
}

const reportAttributes: readonly Attribute[] = reportTypes.map(
  ({ member, description, shape, list }) => ({
    name: member,
    type: (list ? objects : object)(() => shape),
    description,
  }),
);

interface PostureDataMembers extends JsonObject {
  readonly apiSessions: readonly { readonly mfa: { readonly apiSessionId: string } }[];
}

/** REST clients find sessions by their ids. */
@RestObject<PostureDataMembers>({
  view: ({ apiSessions, ...data }) => ({
    ...data,
    apiSessionPostureData: Object.fromEntries(
      apiSessions.map((posture) => [posture.mfa.apiSessionId, posture]),
    ),
  }),
  schema: ({ properties }) => {
    const { apiSessions, ...data } = properties as Record<string, Schema>;
    const apiSessionPostureData = {
      type: 'object',
      additionalProperties: apiSessions?.items as Schema,
    };
    return objectOf({ ...data, apiSessionPostureData });
  },
})
@described(
  'The data about the devices of an identity; it is lost with its sessions and controllers.',
)
@attributes(reportAttributes)
export class PostureData {
  @attribute(objects(() => ApiSessionPosture), { description: 'The data of each API session.' })
  readonly apiSessions!: readonly ApiSessionPosture[];
}
