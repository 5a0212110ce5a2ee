// First, so that nothing else sees the answer of a login page in the address.
import './login/pending-login.js';
import '@mantine/core/styles.css';
import './shell/styles.css';
import { MantineProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { AnswersProvider } from './graph/answers-provider.js';
import { Gate } from './shell/gate.js';
import { router } from './shell/router.js';
import { readableColors, theme } from './shell/theme.js';

const page = document.getElementById('page');
const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';

// Dialogs keep the page behind them from scrolling by a style element; its library looks here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

if (page) {
  createRoot(page).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        cssVariablesResolver={readableColors}
        getStyleNonce={() => nonce}
      >
        <AnswersProvider>
          <Gate>
            <RouterProvider router={router} />
          </Gate>
        </AnswersProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
