import { isObject, type Row } from '../../src/base/row.js';
import { postureTypeOf } from '../../src/posture/index.js';
import { entityReference, link, type ViewExtras } from './view.js';

/** What the REST bodies of a few resources show beyond their declaration. */

/** The REST form of a query differs from that of the graph for some types of checks. */
const restQuery = (query: Row): Row =>
  postureTypeOf(String(query.queryType))?.query?.onRest?.(query) ?? query;

const withoutNull = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

const queryLinks = (query: Row): Row => ({
  _links: { self: link(`posture-checks/${String(query.id)}`) },
  tags: {},
  ...withoutNull(restQuery(query)),
});

const EXTRAS: Readonly<Record<string, ViewExtras>> = {
  Identity: {
    links: (row) => ({ 'auth-policies': link(`auth-policies/${String(row.authPolicyId)}`) }),
    members: (row) => {
      const enrollment = isObject(row.enrollment) ? row.enrollment : {};
      const ottca = isObject(enrollment.ottca) ? enrollment.ottca : undefined;
      if (!ottca || !isObject(ottca.ca)) return {};
      const { id, name } = ottca.ca;
      const ca = entityReference('cas', String(id), String(name));
      return { enrollment: { ...withoutNull(enrollment), ottca: { ...ottca, ca } } };
    },
  },
  Service: {
    members: ({ postureQueries }) => ({
      postureQueries: (postureQueries as { postureQueries: Row[] }[]).map((set) => ({
        ...set,
        postureQueries: set.postureQueries.map(queryLinks),
      })),
    }),
  },
  Session: {
    members: ({ servicePolicies }) => ({
      servicePolicies: (servicePolicies as { id: string; name: string }[]).map(({ id, name }) =>
        entityReference('service-policies', id, name),
      ),
    }),
  },
  CertificateAuthority: {
    links: (row) => ({
      ...(row.isVerified === true ? {} : { verify: link(`cas/${String(row.id)}/verify`) }),
      ...(row.isAutoCaEnrollmentEnabled === true ? { jwt: link(`cas/${String(row.id)}/jwt`) } : {}),
    }),
  },
  Router: {
    links: (row) => ({ self: link(`transit-routers/${String(row.id)}`) }),
  },
  Authenticator: {
    links: (row) => ({ identities: link(`identities/${String(row.identityId)}`) }),
  },
};

export const viewExtras = (resource: string): ViewExtras => EXTRAS[resource] ?? {};
