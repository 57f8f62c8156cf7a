import React from 'react';
type Props = { title: string };
export const Card: React.FC<Props> = ({ title }) => {
  const onClick = () => {};
  return <div onClick={onClick}>Card {title}</div>;
};
export function App() { return <Card title="x" />; }
