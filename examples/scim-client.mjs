/**
 * Writes the people of a company and their groups into a directory, over SCIM 2.0:
 *
 *     SCIM=https://<controller>/scim/v2 TOKEN=<of the directory> node examples/scim-client.mjs people.json
 *
 * The file has `users`, each with `userName` and `externalId`, and `groups`: lists of user names by the name of the
 * group. Run it again after each change of the file: users who are gone from it are disabled. Node trusts the
 * controller by its authorities: `NODE_EXTRA_CA_CERTS=ca.pem`.
 */
import { readFile } from 'node:fs/promises';

const { SCIM, TOKEN } = process.env;
const { users, groups } = JSON.parse(await readFile(process.argv[2], 'utf8'));

const ids = new Map();
for (const user of users) ids.set(user.userName, await writeUser(user));
for (const other of await all('Users')) {
  if (other.active && !ids.has(other.userName)) await disable(other);
}
for (const [displayName, names] of Object.entries(groups)) await writeGroup(displayName, names);

/** Creates a user, or enables and renames the one with this external id; gives its id. */
async function writeUser(user) {
  const filter = `externalId eq ${JSON.stringify(user.externalId)}`;
  const [existing] = await all('Users', filter);
  const place = existing ? `Users/${existing.id}` : 'Users';
  const { id } = await send(existing ? 'PUT' : 'POST', place, { ...user, active: true });
  console.log(`${existing ? 'wrote' : 'created'} ${user.userName}`);
  return id;
}

async function disable({ id, userName }) {
  const Operations = [{ op: 'replace', path: 'active', value: false }];
  await send('PATCH', `Users/${id}`, { Operations });
  console.log(`disabled ${userName}`);
}

async function writeGroup(displayName, names) {
  const members = names.map((name) => ({ value: ids.get(name) }));
  const [existing] = await all('Groups', `displayName eq ${JSON.stringify(displayName)}`);
  const place = existing ? `Groups/${existing.id}` : 'Groups';
  await send(existing ? 'PUT' : 'POST', place, { displayName, members });
  console.log(`group ${displayName}: ${members.length} members`);
}

/** Reads all pages of a list. */
async function all(resource, filter) {
  const resources = [];
  for (;;) {
    const wanted = filter ? `&filter=${encodeURIComponent(filter)}` : '';
    const page = `${resource}?startIndex=${resources.length + 1}&count=100${wanted}`;
    const { Resources = [], totalResults } = await send('GET', page);
    resources.push(...Resources);
    if (Resources.length === 0 || resources.length >= totalResults) return resources;
  }
}

/** Sends a request, and waits as long as the controller asks when there are too many. */
async function send(method, place, body) {
  const response = await fetch(`${SCIM}/${place}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' },
    body: body && JSON.stringify(body),
  });
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return send(method, place, body);
  }
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${place}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
