package page
import ("testing";"os";"net/url";"fmt")
func TestTry(t *testing.T){ b,_:=os.ReadFile(os.Getenv("TRY")); u,_:=url.Parse("https://example.org/a/b"); p:=Render(string(b),u,Markdown); fmt.Printf("%q %q main=%v nb=%v %q\n%s\n",p.Title,p.Byline,p.Main,p.NeedsBrowser,p.Notes,p.Text)}
