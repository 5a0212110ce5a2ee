import {
  attribute,
  attributes,
  described,
  object,
  objects,
  type Attribute,
} from '../../../kernel/declare/attribute.js';
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
  @attribute(object(() => SdkInfo), { description: 'The software of the client.', nullable: true })
  sdkInfo!: SdkInfo | null;
}

const reportAttributes: readonly Attribute[] = reportTypes.map(
  ({ member, description, shape, list }) => ({
    name: member,
    type: (list ? objects : object)(() => shape),
    description,
  }),
);

@described(
  'The data about the devices of an identity; it is lost with its sessions and controllers.',
)
@attributes(reportAttributes)
export class PostureData {
  @attribute(objects(() => ApiSessionPosture), { description: 'The data of each API session.' })
  apiSessions!: readonly ApiSessionPosture[];
}
