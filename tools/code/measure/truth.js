const ts = require("typescript");
const fs = require("fs");
const literal = (n) => n && (ts.isArrowFunction(n) || ts.isFunctionExpression(n));
const hook = (n) => n && ts.isCallExpression(n) && /^(React\.)?useCallback$/.test(n.expression.getText()) && literal(n.arguments[0]);
const files = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const file of files) {
  const text = fs.readFileSync(file, "utf8");
  const kind = file.endsWith(".tsx") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  if (tree.parseDiagnostics.length > 0) continue;
  const found = [];
  const add = (name) => {
    if (!name) return;
    if (ts.isComputedPropertyName(name)) {
      const e = name.expression;
      if (ts.isStringLiteral(e)) found.push([e.text, tree.getLineAndCharacterOfPosition(e.getStart(tree)).line + 1]);
      else if (ts.isIdentifier(e) || ts.isPropertyAccessExpression(e)) found.push([name.getText(tree), tree.getLineAndCharacterOfPosition(name.getStart(tree)).line + 1]);
      return;
    }
    found.push([name.text !== undefined ? name.text : name.getText(tree), tree.getLineAndCharacterOfPosition(name.getStart(tree)).line + 1]);
  };
  // An object is looked into for functions when it is the value of a variable, an assignment or the default export, or in one;
  // so is one that a call is given there, at the top of the file.
  const wraps = (p) => ts.isParenthesizedExpression(p) || ts.isAsExpression(p) || ts.isSatisfiesExpression(p) || ts.isAwaitExpression(p);
  const direct = (o) => {
    let p = o.parent, called = false;
    for (;; o = p, p = p.parent) {
      if (ts.isCallExpression(p) || ts.isNewExpression(p)) {
        if (!(p.arguments || []).includes(o)) return false;
        called = true;
      } else if (!wraps(p) && !ts.isPropertyAssignment(p) && !ts.isObjectLiteralExpression(p)) break;
    }
    const statement = ts.isVariableDeclaration(p) ? p.parent.parent : p.parent;
    if (called && !ts.isExportAssignment(p) && !(statement && statement.parent && ts.isSourceFile(statement.parent))) return false;
    return ts.isVariableDeclaration(p) || ts.isExportAssignment(p) || (ts.isBinaryExpression(p) && p.right === o && p.operatorToken.kind === ts.SyntaxKind.EqualsToken);
  };
  const visit = (n) => {
    const anonymous = ts.isExportAssignment(n) ? !n.isExportEquals && (literal(n.expression) || (ts.isClassExpression(n.expression) && !n.expression.name))
      : (ts.isFunctionDeclaration(n) || ts.isClassDeclaration(n)) && !n.name;
    if (anonymous) {
      const k = n.getChildren(tree).flatMap((c) => [c, ...c.getChildren(tree)]).find((c) => c.kind === ts.SyntaxKind.DefaultKeyword);
      if (k) found.push(["default", tree.getLineAndCharacterOfPosition(k.getStart(tree)).line + 1]);
    }
    if (ts.isFunctionDeclaration(n) || ts.isClassDeclaration(n) || ts.isInterfaceDeclaration(n) || ts.isTypeAliasDeclaration(n) || ts.isEnumDeclaration(n)) add(n.name);
    else if (ts.isFunctionExpression(n) && n.name && (ts.isCallExpression(n.parent) || ts.isNewExpression(n.parent)) && (n.parent.arguments || []).includes(n)) add(n.name);
    else if (ts.isVariableDeclaration(n) && ts.isIdentifier(n.name) && hook(n.initializer)) add(n.name);
    else if (ts.isClassExpression(n) && !(ts.isVariableDeclaration(n.parent) && !n.name)) add(n.name);
    else if (ts.isModuleDeclaration(n) && !(ts.isModuleDeclaration(n.parent)) && !(n.flags & ts.NodeFlags.GlobalAugmentation)) {
      let name = n.name;
      let full = n.name.text;
      for (let b = n.body; b && ts.isModuleDeclaration(b); b = b.body) full += "." + b.name.text;
      found.push([full.slice(full.lastIndexOf(ts.isStringLiteral(name) ? "\u0000" : ".") + 1), tree.getLineAndCharacterOfPosition(name.getStart(tree)).line + 1]);
    } else if (ts.isMethodDeclaration(n) || ts.isMethodSignature(n) || ts.isGetAccessor(n) || ts.isSetAccessor(n)) {
      add(n.name);
    } else if (ts.isConstructorDeclaration(n)) {
      const k = n.getChildren(tree).find((c) => c.kind === ts.SyntaxKind.ConstructorKeyword);
      found.push(["constructor", tree.getLineAndCharacterOfPosition((k || n).getStart(tree)).line + 1]);
    } else if (ts.isVariableDeclaration(n) && ts.isIdentifier(n.name) && (literal(n.initializer) || (n.initializer && ts.isClassExpression(n.initializer)))) {
      add(n.name);
    } else if (ts.isPropertyDeclaration(n) && literal(n.initializer)) {
      add(n.name);
    } else if (ts.isPropertyAssignment(n) && literal(n.initializer) && direct(n.parent) && (ts.isIdentifier(n.name) || ts.isStringLiteral(n.name))) {
      add(n.name);
    } else if (ts.isBinaryExpression(n) && n.operatorToken.kind === ts.SyntaxKind.EqualsToken && ts.isPropertyAccessExpression(n.left) && (literal(n.right) || ts.isClassExpression(n.right))) {
      found.push([n.left.name.text, tree.getLineAndCharacterOfPosition(n.left.name.getStart(tree)).line + 1]);
    }
    ts.forEachChild(n, visit);
  };
  visit(tree);
  process.stdout.write(JSON.stringify({ file, symbols: found }) + "\n");
}
