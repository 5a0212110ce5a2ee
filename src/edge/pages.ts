/** The two pages for people; all their files are served by the controller. */

export const graphiqlPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>Overgraph: the graph</title>
<link rel="stylesheet" href="/assets/graphiql/graphiql.min.css">
<style>body{margin:0}#graphiql{height:100vh}</style>
</head>
<body>
<div id="graphiql">Loading ...</div>
<script src="/assets/react/react.production.min.js"></script>
<script src="/assets/react-dom/react-dom.production.min.js"></script>
<script src="/assets/graphiql/graphiql.min.js"></script>
<script>
const ask = GraphiQL.createFetcher({
  url: '/graphql', subscriptionUrl: 'wss://' + location.host + '/graphql',
});
// GraphiQL does not show the error of a refused or ended subscription.
const errorsOf = (fault) => Array.isArray(fault) ? fault
  : [{ message: fault.reason || fault.message || 'The connection was closed.' }];
async function* withRefusals(results) {
  try { yield* results; } catch (fault) { yield { errors: errorsOf(fault) }; }
}
const fetcher = async (params, options) => {
  const answer = await ask(params, options);
  return answer[Symbol.asyncIterator] ? withRefusals(answer) : answer;
};
const defaultQuery = \`# Log in, then put the token into the headers below: { "zt-session": "..." }
mutation {
  authenticate(method: "password", input: { username: "admin", password: "..." }) { token }
}\`;
ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, { fetcher, defaultQuery, shouldPersistHeaders: false }));
</script>
</body>
</html>
`;

export const apiPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>Overgraph: the REST interfaces</title>
<link rel="stylesheet" href="/assets/swagger-ui/swagger-ui.css">
</head>
<body>
<div id="api">Loading ...</div>
<script src="/assets/swagger-ui/swagger-ui-bundle.js"></script>
<script src="/assets/swagger-ui/swagger-ui-standalone-preset.js"></script>
<script>
SwaggerUIBundle({
  dom_id: '#api', layout: 'StandaloneLayout', validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  urls: [
    { name: 'management', url: '/edge/management/v1/swagger.json' },
    { name: 'client', url: '/edge/client/v1/swagger.json' },
    { name: 'fabric', url: '/fabric/v1/swagger.json' },
  ],
});
</script>
</body>
</html>
`;
