import { ActionIcon, Menu, Tooltip, useMantineColorScheme } from '@mantine/core';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { keepDraftOf } from '../draft/draft.js';
import { Logout } from '../emitted/operations.js';
import { ask } from '../graph/ask.js';
import { forgetSession } from '../graph/session.js';
import icon from './icon.svg';
import { Icon } from '../parts/icon.js';
import { leavePage } from '../parts/leave-question.js';
import { texts } from '../texts.js';
import { useCaller, useMay } from '../graph/caller-context.js';
import { ConnectionNotice } from './connection-notice.js';
import { HelpDialog } from './help-dialog.js';
import { focusSearch, SearchField } from './search-field.js';
import { NAVIGATION, type NavigationGroup, type NavigationItem } from './navigation.js';
import { useKeys } from './use-keys.js';

/** The frame of all pages: the menu beside the content. */
export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const groups = useOfferedGroups();
  const content = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useShellKeys(groups, () => {
    setHelpOpen(true);
  });
  useEffect(() => {
    setOpen(false);
  }, [path]);
  const { id } = useCaller();
  // Before a page adds a link to it.
  useLayoutEffect(() => {
    keepDraftOf(id);
  }, [id]);
  return (
    <div className="shell">
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          content.current?.focus();
        }}
      >
        {texts.skip}
      </a>
      <Top
        isOpen={isOpen}
        toggle={() => {
          setOpen(!isOpen);
        }}
      />
      <div className={isOpen ? 'side open' : 'side'}>
        <header>
          <Brand />
        </header>
        <SearchField />
        <Navigation groups={groups} />
        <Foot
          showHelp={() => {
            setHelpOpen(true);
          }}
        />
      </div>
      <main id="content" className="content" ref={content} tabIndex={-1}>
        <ConnectionNotice />
        <Outlet />
      </main>
      <HelpDialog
        groups={groups}
        isOpen={isHelpOpen}
        close={() => {
          setHelpOpen(false);
        }}
      />
    </div>
  );
}

/** On narrow screens, where it opens the menu. */
function Top({ isOpen, toggle }: { isOpen: boolean; toggle: () => void }) {
  return (
    <header className="top">
      <Brand />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={texts.shell.menu}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <Icon name="menu" />
      </ActionIcon>
    </header>
  );
}

function useOfferedGroups(): readonly NavigationGroup[] {
  const may = useMay();
  return NAVIGATION.map((group) => ({
    ...group,
    items: group.items.filter(({ needs }) => !needs || may(...needs)),
  })).filter(({ items }) => items.length > 0);
}

function useShellKeys(groups: readonly NavigationGroup[], showHelp: () => void): void {
  const navigate = useNavigate();
  const { toggleColorScheme } = useMantineColorScheme();
  const goTo = groups.flatMap(({ items }) =>
    items.flatMap(({ key, path }) =>
      key === undefined ? [] : [[`g ${key}`, () => void navigate({ to: path })] as const],
    ),
  );
  useKeys({
    ...Object.fromEntries(goTo),
    '?': showHelp,
    '/': focusSearch,
    d: toggleColorScheme,
  });
}

function Brand() {
  return (
    <Link to="/" className="brand">
      <img src={icon} alt="" />
      {texts.product}
    </Link>
  );
}

function Navigation({ groups }: { groups: readonly NavigationGroup[] }) {
  return (
    <nav aria-label={texts.shell.navigation}>
      {groups.map(({ title, items }) => (
        <div key={title ?? ''}>
          {title === undefined ? null : <h2>{title}</h2>}
          <ul>
            {items.map((item) => (
              <NavigationLink key={item.path} item={item} />
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function NavigationLink({ item }: { item: NavigationItem }) {
  const { path, title, icon: drawing, Badge } = item;
  return (
    <li>
      <Link
        to={path}
        activeOptions={{ exact: path === '/', includeSearch: false }}
        activeProps={{ className: 'active', 'aria-current': 'page' }}
      >
        {drawing === undefined ? null : <Icon name={drawing} />}
        {title}
        {Badge ? <Badge /> : null}
      </Link>
    </li>
  );
}

function Foot({ showHelp }: { showHelp: () => void }) {
  const { name } = useCaller();
  const logOut = (): void => {
    ask(Logout, {})
      .catch(() => undefined)
      .finally(forgetSession);
  };
  return (
    <footer>
      <Link to="/account" className="who" title={texts.pages.account}>
        {name}
      </Link>
      <SchemeMenu />
      <Tooltip label={texts.shell.help}>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.shell.help} onClick={showHelp}>
          <Icon name="help" />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={texts.shell.logout}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.shell.logout}
          onClick={() => {
            leavePage(logOut);
          }}
        >
          <Icon name="logout" />
        </ActionIcon>
      </Tooltip>
    </footer>
  );
}

function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="top-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.shell.scheme}>
          <Icon name="sun" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={colorScheme === scheme ? 'check' : 'minus'} size={12} />}
            onClick={() => {
              setColorScheme(scheme);
            }}
          >
            {texts.shell.schemes[scheme]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
