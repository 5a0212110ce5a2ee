import { defineConfig } from 'prisma/config';

// Prisma's command line demands a default export here; `npm run check` validates the schema by it.
export default defineConfig({ schema: 'prisma/schema.prisma' });
