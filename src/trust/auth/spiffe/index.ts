export { refreshBundles, type BundleRefreshOptions } from './refresh-bundles.js';
export { clientSvidIn } from './x509-svid.js';
